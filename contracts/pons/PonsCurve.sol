// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {SafeToken} from "../interfaces/SafeToken.sol";
import {CurveMath} from "../launchpad/CurveMath.sol";

interface IPonsFactory {
    function graduate(address token) external;
}

/// @title A bonding curve with the outside of the real chain's leading launchpad; our own code.
/// @notice No deadline, no reserves in its logs, a snipe tax that depends on who receives the tokens, any pair token.
/// Fee, creator tax and snipe tax are always of the quote side. Reserves follow from the logs: a buy adds
/// quoteIn - fee - tax (its fee includes the snipe tax), a sell takes quoteOut + fee + tax, a buyback adds what it spent.
contract PonsCurve {
    using SafeToken for address;

    struct Terms {
        address token;
        address pairToken;
        address deployer;
        address treasury;
        uint256 phantomQuote;
        uint256 graduationThreshold;
        uint256 feeBps;
        uint256 creatorTaxBps;
        uint256 snipeTaxStartBps;
        uint256 snipeTaxSeconds;
        bool buybackEnabled;
    }

    event CurveBuy(
        address indexed buyer, address indexed recipient, uint256 quoteIn, uint256 tokensOut, uint256 fee, uint256 tax
    );
    event CurveSell(
        address indexed seller, address indexed recipient, uint256 tokensIn, uint256 quoteOut, uint256 fee, uint256 tax
    );
    event CurveBuyRefunded(address indexed buyer, uint256 refund);
    event SnipeTaxCharged(address indexed recipient, uint256 amount);
    event SnipeTaxExempted(address indexed account);
    event BuybackLocked(uint256 quoteSpent, uint256 tokensLocked);
    event FeesSwept(uint256 protocolAmount, uint256 buybackAmount, uint256 creatorAmount);
    event CurveCompleted(address recipient, uint256 quoteOut, uint256 tokenOut);
    event AutoGraduationFailed(address indexed token, uint256 gasRemaining);

    error AlreadyInitialized();
    error CurveGraduated();
    error NotFactory();
    error NotReadyToGraduate();
    error NotFeeSweepOperator();
    error ZeroAddress();
    error ZeroAmount();
    error NativeValueMismatch(uint256 supplied, uint256 expected);
    error UnexpectedNativeValue();
    error SlippageExceeded(uint256 actual, uint256 minimum);
    error ReentrancyGuardReentrantCall();

    uint256 private constant BPS = 10_000;
    /// Whatever the taxes are, a hundredth of a buy reaches the curve.
    uint256 private constant MIN_BUYER_SHARE_BPS = 100;
    /// The snipe tax is halved so often within its window; 2^14 is more than any start.
    uint256 private constant HALVINGS = 14;
    uint256 private constant PROTOCOL_SHARE_BPS = 3_000;
    uint256 private constant BUYBACK_SHARE_BPS = 5_000;

    address public factory;
    address public token;
    address public pairToken;
    address public deployer;
    address public treasury;
    uint256 public phantomQuote;
    uint256 public graduationThreshold;
    uint256 public feeBps;
    uint256 public creatorTaxBps;
    uint256 public snipeTaxStartBps;
    uint256 public snipeTaxSeconds;
    uint256 public launchedAt;
    uint256 public launchSupply;
    /// Tokens the curve never sells: they go into the pool.
    uint256 public reservedTokens;
    uint256 public trackedTokens;
    /// Quote received less quote paid, fees and taxes that wait included.
    uint256 public trackedQuote;
    uint256 public quoteFeeBalance;
    uint256 public creatorTaxBalance;
    bool public buybackEnabled;
    bool public graduated;
    mapping(address account => bool exempt) public snipeTaxExempt;
    bool private transient _entered;

    modifier alone() {
        if (_entered) revert ReentrancyGuardReentrantCall();
        _entered = true;
        _;
        _entered = false;
    }

    receive() external payable {}

    /// @notice Called once by the factory, which has already given this curve the whole supply.
    function initialize(Terms calldata terms, address launcher, address[] calldata exemptions) external {
        if (factory != address(0)) revert AlreadyInitialized();
        factory = msg.sender;
        (token, pairToken, deployer, treasury) = (terms.token, terms.pairToken, terms.deployer, terms.treasury);
        (phantomQuote, graduationThreshold) = (terms.phantomQuote, terms.graduationThreshold);
        (feeBps, creatorTaxBps) = (terms.feeBps, terms.creatorTaxBps);
        (snipeTaxStartBps, snipeTaxSeconds) = (terms.snipeTaxStartBps, terms.snipeTaxSeconds);
        buybackEnabled = terms.buybackEnabled;
        launchedAt = block.timestamp;
        launchSupply = IERC20(terms.token).balanceOf(address(this));
        trackedTokens = launchSupply;
        // With x * y constant, this is what is left when the threshold has been raised.
        reservedTokens = launchSupply * terms.phantomQuote / (terms.phantomQuote + terms.graduationThreshold);
        _exempt(launcher);
        _exempt(terms.deployer);
        for (uint256 i = 0; i < exemptions.length; i++) _exempt(exemptions[i]);
    }

    function isNativeQuote() public view returns (bool) {
        return pairToken == address(0);
    }

    /// @return quoteReserve_ with its phantom part, without what waits to be swept
    function getReserves() public view returns (uint256 quoteReserve_, uint256 tokenReserve_) {
        return (phantomQuote + realQuoteReserve(), trackedTokens);
    }

    function realQuoteReserve() public view returns (uint256) {
        return trackedQuote - quoteFeeBalance - creatorTaxBalance;
    }

    function sellableTokens() public view returns (uint256) {
        return trackedTokens > reservedTokens ? trackedTokens - reservedTokens : 0;
    }

    function readyToGraduate() public view returns (bool) {
        return !graduated && sellableTokens() == 0;
    }

    /// @notice What a buy for `recipient` would pay in this block; a function of whole seconds since the launch.
    function currentSnipeTaxBps(address recipient) public view returns (uint256 bps) {
        uint256 elapsed = block.timestamp - launchedAt;
        if (snipeTaxExempt[recipient] || elapsed >= snipeTaxSeconds) return 0;
        bps = snipeTaxStartBps >> (elapsed * HALVINGS / snipeTaxSeconds);
        uint256 most = BPS - MIN_BUYER_SHARE_BPS - feeBps - creatorTaxBps;
        return bps > most ? most : bps;
    }

    /// @notice Buys with `quoteIn` of the pair: msg.value for ETH, an allowance to this curve otherwise. The buy that
    /// takes the last token for sale spends only what that needs: its minimum then bounds the price, not the amount.
    function buy(uint256 quoteIn, uint256 minTokensOut, address recipient)
        external
        payable
        alone
        returns (uint256 tokensOut)
    {
        if (graduated || sellableTokens() == 0) revert CurveGraduated();
        if (recipient == address(0)) revert ZeroAddress();
        _receiveQuote(quoteIn);
        if (quoteIn == 0) revert ZeroAmount();
        uint256 spent = quoteIn;
        uint256 snipe;
        uint256 fee;
        uint256 tax;
        {
            (uint256 x, uint256 y) = getReserves();
            uint256 snipeBps = currentSnipeTaxBps(recipient);
            (fee, tax, snipe) = _legs(spent, snipeBps);
            tokensOut = CurveMath.tokensOut(x, y, spent - fee - tax - snipe);
            uint256 sellable = sellableTokens();
            if (tokensOut > sellable) {
                tokensOut = sellable;
                spent = _grossFor(CurveMath.netFor(x, y, sellable), snipeBps);
                if (spent > quoteIn) spent = quoteIn;
                (fee, tax, snipe) = _legs(spent, snipeBps);
            }
        }
        if (tokensOut == 0) revert ZeroAmount();
        if (spent * minTokensOut > quoteIn * tokensOut) revert SlippageExceeded(tokensOut, minTokensOut);

        quoteFeeBalance += fee + snipe;
        creatorTaxBalance += tax;
        trackedQuote += spent;
        trackedTokens -= tokensOut;
        token.send(recipient, tokensOut);
        if (spent < quoteIn) {
            emit CurveBuyRefunded(msg.sender, quoteIn - spent);
            pairToken.send(msg.sender, quoteIn - spent);
        }
        if (snipe != 0) emit SnipeTaxCharged(recipient, snipe);
        emit CurveBuy(msg.sender, recipient, spent, tokensOut, fee + snipe, tax);
        if (readyToGraduate()) {
            // The buy stands even where the pool cannot be opened; anyone may try again.
            try IPonsFactory(factory).graduate(token) {}
            catch {
                emit AutoGraduationFailed(token, gasleft());
            }
        }
    }

    /// @notice Sells `tokensIn`, for which this curve needs an allowance.
    function sell(uint256 tokensIn, uint256 minQuoteOut, address recipient) external alone returns (uint256 quoteOut) {
        if (graduated || readyToGraduate()) revert CurveGraduated();
        if (tokensIn == 0) revert ZeroAmount();
        if (recipient == address(0)) revert ZeroAddress();
        (uint256 x, uint256 y) = getReserves();
        uint256 gross = CurveMath.pairOut(x, y, tokensIn);
        uint256 fee = CurveMath.tax(gross, feeBps);
        uint256 tax = CurveMath.tax(gross, creatorTaxBps);
        quoteOut = gross - fee - tax;
        if (quoteOut < minQuoteOut) revert SlippageExceeded(quoteOut, minQuoteOut);

        token.pull(msg.sender, tokensIn);
        quoteFeeBalance += fee;
        creatorTaxBalance += tax;
        trackedQuote -= quoteOut;
        trackedTokens += tokensIn;
        pairToken.send(recipient, quoteOut);
        emit CurveSell(msg.sender, recipient, tokensIn, quoteOut, fee, tax);
    }

    /// @notice Pays out what waits. With buybacks on, part of it buys tokens from this very curve, without a trade's log.
    function sweepFees(uint256 minBuybackTokensOut) external alone {
        if (msg.sender != deployer && msg.sender != treasury) revert NotFeeSweepOperator();
        if (graduated) revert CurveGraduated();
        _sweep(minBuybackTokensOut, buybackEnabled);
    }

    /// @notice Hands the reserves to the factory's graduator; only by the factory, also from inside a buy.
    function graduate(address recipient) external returns (uint256 quoteOut, uint256 tokenOut) {
        if (msg.sender != factory) revert NotFactory();
        if (!readyToGraduate()) revert NotReadyToGraduate();
        graduated = true;
        _sweep(0, false);
        (quoteOut, tokenOut) = (trackedQuote, trackedTokens);
        (trackedQuote, trackedTokens) = (0, 0);
        pairToken.send(recipient, quoteOut);
        token.send(recipient, tokenOut);
        emit CurveCompleted(recipient, quoteOut, tokenOut);
    }

    function _sweep(uint256 minTokensOut, bool buysBack) private {
        (uint256 pending, uint256 tax) = (quoteFeeBalance, creatorTaxBalance);
        if (pending + tax == 0) return;
        uint256 protocolAmount = pending * PROTOCOL_SHARE_BPS / BPS;
        uint256 buyback = buysBack ? (pending - protocolAmount) * BUYBACK_SHARE_BPS / BPS : 0;
        uint256 locked;
        if (buyback != 0) {
            (uint256 x, uint256 y) = getReserves();
            locked = CurveMath.tokensOut(x, y, buyback);
            if (locked < minTokensOut) revert SlippageExceeded(locked, minTokensOut);
            if (locked > sellableTokens()) (locked, buyback) = (0, 0);
        }
        uint256 creatorAmount = pending - protocolAmount - buyback + tax;
        (quoteFeeBalance, creatorTaxBalance) = (0, 0);
        trackedQuote -= protocolAmount + creatorAmount;
        if (locked != 0) {
            trackedTokens -= locked;
            token.send(treasury, locked);
            emit BuybackLocked(buyback, locked);
        }
        pairToken.send(treasury, protocolAmount);
        pairToken.send(deployer, creatorAmount);
        emit FeesSwept(protocolAmount, buyback, creatorAmount);
    }

    function _exempt(address account) private {
        if (account == address(0) || snipeTaxExempt[account]) return;
        snipeTaxExempt[account] = true;
        emit SnipeTaxExempted(account);
    }

    function _receiveQuote(uint256 amount) private {
        if (isNativeQuote()) {
            if (msg.value != amount) revert NativeValueMismatch(msg.value, amount);
            return;
        }
        if (msg.value != 0) revert UnexpectedNativeValue();
        pairToken.pull(msg.sender, amount);
    }

    /// Each leg is rounded down by itself.
    function _legs(uint256 gross, uint256 snipeBps) private view returns (uint256 fee, uint256 tax, uint256 snipe) {
        return
            (CurveMath.tax(gross, feeBps), CurveMath.tax(gross, creatorTaxBps), CurveMath.tax(gross, snipeBps));
    }

    function _grossFor(uint256 net, uint256 snipeBps) private view returns (uint256) {
        uint256 kept = BPS - feeBps - creatorTaxBps - snipeBps;
        return (net * BPS + kept - 1) / kept;
    }
}
