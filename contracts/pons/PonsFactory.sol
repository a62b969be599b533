// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Clones} from "../interfaces/Clones.sol";
import {CloneToken} from "../tokens/CloneToken.sol";
import {PonsCurve} from "./PonsCurve.sol";
import {PonsGraduator} from "./PonsGraduator.sol";

/// @title Launches tokens with their curves: the one address whose logs and word name every curve there is.
/// @notice The outside is that of the real chain's leading launchpad, as far as a trader meets it.
contract PonsFactory {
    struct TokenParams {
        string name;
        string symbol;
        address creatorFeeRecipient;
        uint16 creatorTaxBps;
        bool buybackEnabled;
    }

    struct Economics {
        uint256 phantomQuote;
        uint256 graduationThreshold;
        bool approved;
    }

    enum GraduationPhase {
        Curve,
        Graduated
    }

    struct LaunchedToken {
        address token;
        address curve;
        address deployer;
        address creatorFeeRecipient;
        address pairToken;
        uint256 graduationThreshold;
        uint24 poolFee;
        int24 tickSpacing;
        uint16 creatorTaxBps;
        bool buybackEnabled;
        GraduationPhase phase;
        uint256 sweptQuote;
        uint256 sweptTokens;
        uint256 sweptAt;
        bool exists;
    }

    event TokenLaunched(
        address indexed token,
        address indexed curve,
        address indexed deployer,
        address pairToken,
        uint256 launchConfigId,
        uint256 graduationThreshold
    );
    event PoolGraduated(address indexed token, uint256 positionId, uint256 tokenAmount, uint256 pairTokenAmount);

    error OnlyOwner();
    error PairNotApproved(address pair);
    error TaxTooHigh();
    error ExemptionListTooLong();
    error NoSuchLaunch(address token);

    uint256 public constant SUPPLY = 1_000_000_000e18;
    uint256 public constant CURVE_FEE_BPS = 100;
    uint256 public constant MAX_CREATOR_TAX_BPS = 1_000;
    uint256 public constant MAX_EXEMPTIONS = 32;
    uint24 public constant POOL_FEE = 0;
    int24 public constant TICK_SPACING = 200;

    address public immutable owner;
    address public immutable tokenCode;
    address public immutable curveCode;
    PonsGraduator public immutable graduator;
    address public immutable treasury;
    uint256 public snipeTaxStartBps = 9_900;
    uint256 public snipeTaxSeconds = 3;
    uint256 public launchCount;
    mapping(address pair => Economics) public pairTokenEconomics;
    mapping(address token => LaunchedToken) private _launched;

    constructor(address tokenCode_, address curveCode_, PonsGraduator graduator_, address treasury_) {
        owner = msg.sender;
        (tokenCode, curveCode, graduator, treasury) = (tokenCode_, curveCode_, graduator_, treasury_);
    }

    function setPairTokenEconomics(address pair, uint256 phantomQuote, uint256 graduationThreshold) external {
        if (msg.sender != owner) revert OnlyOwner();
        pairTokenEconomics[pair] = Economics(phantomQuote, graduationThreshold, true);
    }

    /// @notice For launches from now on.
    function setSnipeTaxSeconds(uint256 secondsWindow) external {
        if (msg.sender != owner) revert OnlyOwner();
        snipeTaxSeconds = secondsWindow;
    }

    function launchToken(
        TokenParams calldata params,
        uint256 launchConfigId,
        address pairToken,
        address[] calldata snipeTaxExemptions
    ) external returns (address token, address curve) {
        Economics memory economics = pairTokenEconomics[pairToken];
        if (!economics.approved) revert PairNotApproved(pairToken);
        if (params.creatorTaxBps > MAX_CREATOR_TAX_BPS) revert TaxTooHigh();
        if (snipeTaxExemptions.length > MAX_EXEMPTIONS) revert ExemptionListTooLong();
        bytes32 salt = bytes32(launchCount++);
        token = Clones.clone(tokenCode, salt);
        curve = Clones.clone(curveCode, salt);
        CloneToken(token).born(params.name, params.symbol, SUPPLY, curve);
        _open(params, pairToken, economics, [token, curve], snipeTaxExemptions);
        emit TokenLaunched(token, curve, msg.sender, pairToken, launchConfigId, economics.graduationThreshold);
    }

    function _open(
        TokenParams calldata params,
        address pairToken,
        Economics memory economics,
        address[2] memory made,
        address[] calldata exemptions
    ) private {
        address creator = params.creatorFeeRecipient == address(0) ? msg.sender : params.creatorFeeRecipient;
        PonsCurve.Terms memory terms = PonsCurve.Terms({
            token: made[0],
            pairToken: pairToken,
            deployer: creator,
            treasury: treasury,
            phantomQuote: economics.phantomQuote,
            graduationThreshold: economics.graduationThreshold,
            feeBps: CURVE_FEE_BPS,
            creatorTaxBps: params.creatorTaxBps,
            snipeTaxStartBps: snipeTaxStartBps,
            snipeTaxSeconds: snipeTaxSeconds,
            buybackEnabled: params.buybackEnabled
        });
        PonsCurve(payable(made[1])).initialize(terms, msg.sender, exemptions);
        LaunchedToken storage launched = _launched[made[0]];
        (launched.token, launched.curve) = (made[0], made[1]);
        (launched.deployer, launched.creatorFeeRecipient) = (msg.sender, creator);
        launched.pairToken = pairToken;
        launched.graduationThreshold = economics.graduationThreshold;
        (launched.poolFee, launched.tickSpacing) = (POOL_FEE, TICK_SPACING);
        (launched.creatorTaxBps, launched.buybackEnabled) = (params.creatorTaxBps, params.buybackEnabled);
        launched.exists = true;
    }

    function getLaunchedToken(address token) external view returns (LaunchedToken memory) {
        return _launched[token];
    }

    /// @notice Opens the pool of a curve that has sold everything; its last buy does it, or anybody later.
    function graduate(address token) external {
        LaunchedToken storage launched = _launched[token];
        if (!launched.exists) revert NoSuchLaunch(token);
        (uint256 quote, uint256 tokens) = PonsCurve(payable(launched.curve)).graduate(address(graduator));
        launched.phase = GraduationPhase.Graduated;
        (launched.sweptQuote, launched.sweptTokens, launched.sweptAt) = (quote, tokens, block.timestamp);
        graduator.open(token, launched.pairToken, quote, tokens, launched.creatorTaxBps);
        emit PoolGraduated(token, 0, tokens, quote);
    }
}
