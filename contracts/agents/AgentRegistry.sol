// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeToken} from "../interfaces/SafeToken.sol";

/// @title Agents and who stands behind them, and a vault where each may stake the partner token.
/// @notice A stake earns simple interest by the second at the vault's yearly rate, out of the tokens the vault holds.
contract AgentRegistry {
    using SafeToken for address;

    struct Agent {
        uint256 id;
        address owner;
        address agentWallet;
        address beneficiary;
        address token;
        string symbol;
        string name;
    }

    struct Stake {
        uint128 principal;
        /// Interest earned up to `since` and not withdrawn.
        uint128 settledGain;
        uint48 since;
    }

    enum Role {
        None,
        AgentWallet,
        Owner
    }

    event AgentRegistered(
        uint256 indexed id,
        address indexed owner,
        address indexed agentWallet,
        address beneficiary,
        address token,
        string symbol,
        string name
    );
    event OwnerChanged(uint256 indexed id, address indexed from, address indexed to);
    event AgentWalletChanged(uint256 indexed id, address indexed from, address indexed to);
    event BeneficiaryChanged(uint256 indexed id, address indexed from, address indexed to);
    event Staked(uint256 indexed id, address indexed from, uint256 amount, uint256 principal);
    event StakeWithdrawn(uint256 indexed id, address indexed to, uint256 amount, uint256 principal);
    event GainWithdrawn(uint256 indexed id, address indexed to, uint256 amount);

    error NotAnAgent(uint256 id);
    error OnlyOwner(uint256 id);
    error WalletTaken(address wallet, uint256 id);
    error MoreThanStaked(uint256 asked, uint256 available);

    uint256 private constant YEAR = 365 days;

    address public immutable stakeToken;
    uint256 public immutable yearlyBps;
    Agent[] private _agents;
    mapping(uint256 id => Stake) private _stakes;
    mapping(address wallet => uint256 id) private _idOfWallet;
    mapping(address owner => uint256[]) private _idsOfOwner;

    constructor(address stakeToken_, uint256 yearlyBps_) {
        (stakeToken, yearlyBps) = (stakeToken_, yearlyBps_);
    }

    modifier onlyOwner(uint256 id) {
        if (_agent(id).owner != msg.sender) revert OnlyOwner(id);
        _;
    }

    /// @notice Anyone may register an agent for anyone; ids count from 1.
    function register(
        address owner,
        address agentWallet,
        address beneficiary,
        address token,
        string calldata symbol,
        string calldata name
    ) external returns (uint256 id) {
        id = _agents.length + 1;
        _agents.push(Agent(id, owner, agentWallet, beneficiary, token, symbol, name));
        _takeWallet(id, agentWallet);
        _idsOfOwner[owner].push(id);
        emit AgentRegistered(id, owner, agentWallet, beneficiary, token, symbol, name);
    }

    function agentCount() external view returns (uint256) {
        return _agents.length;
    }

    /// @param index from 0; the agent's id is one more
    function agentAt(uint256 index) external view returns (Agent memory) {
        return _agent(index + 1);
    }

    function agent(uint256 id) external view returns (Agent memory) {
        return _agent(id);
    }

    /// @notice Up to `limit` agents from `index`: the whole list in few calls.
    function agentsFrom(uint256 index, uint256 limit) external view returns (Agent[] memory page) {
        uint256 count = _agents.length;
        uint256 end = index >= count ? index : index + limit < count ? index + limit : count;
        page = new Agent[](end - index);
        for (uint256 i = index; i < end; i++) {
            page[i - index] = _agents[i];
        }
    }

    /// @notice The agent a wallet acts for: as its agentWallet first, else the first it owns. Id 0 when none.
    function agentOf(address wallet) external view returns (uint256 id, Role role) {
        id = _idOfWallet[wallet];
        if (id != 0) return (id, Role.AgentWallet);
        uint256[] storage owned = _idsOfOwner[wallet];
        return owned.length == 0 ? (0, Role.None) : (owned[0], Role.Owner);
    }

    function agentsOf(address owner) external view returns (uint256[] memory) {
        return _idsOfOwner[owner];
    }

    function setAgentWallet(uint256 id, address wallet) external onlyOwner(id) {
        Agent storage it = _agent(id);
        emit AgentWalletChanged(id, it.agentWallet, wallet);
        delete _idOfWallet[it.agentWallet];
        it.agentWallet = wallet;
        _takeWallet(id, wallet);
    }

    function setBeneficiary(uint256 id, address beneficiary) external onlyOwner(id) {
        Agent storage it = _agent(id);
        emit BeneficiaryChanged(id, it.beneficiary, beneficiary);
        it.beneficiary = beneficiary;
    }

    function setOwner(uint256 id, address owner) external onlyOwner(id) {
        Agent storage it = _agent(id);
        emit OwnerChanged(id, it.owner, owner);
        uint256[] storage owned = _idsOfOwner[it.owner];
        for (uint256 i = 0; i < owned.length; i++) {
            if (owned[i] == id) {
                owned[i] = owned[owned.length - 1];
                owned.pop();
                break;
            }
        }
        it.owner = owner;
        _idsOfOwner[owner].push(id);
    }

    /// @return principal what was staked
    /// @return gain interest up to this block, not yet withdrawn
    function stakeOf(uint256 id) public view returns (uint256 principal, uint256 gain) {
        Stake storage stake_ = _stakes[id];
        principal = stake_.principal;
        gain = stake_.settledGain + principal * yearlyBps * (block.timestamp - stake_.since) / (YEAR * 10_000);
    }

    function stake(uint256 id, uint256 amount) external {
        _agent(id);
        Stake storage stake_ = _settle(id);
        stake_.principal += uint128(amount);
        stakeToken.pull(msg.sender, amount);
        emit Staked(id, msg.sender, amount, stake_.principal);
    }

    function withdrawStake(uint256 id, uint256 amount, address to) external onlyOwner(id) {
        Stake storage stake_ = _settle(id);
        if (amount > stake_.principal) revert MoreThanStaked(amount, stake_.principal);
        stake_.principal -= uint128(amount);
        stakeToken.send(to, amount);
        emit StakeWithdrawn(id, to, amount, stake_.principal);
    }

    function withdrawGain(uint256 id, uint256 amount, address to) external onlyOwner(id) {
        Stake storage stake_ = _settle(id);
        if (amount > stake_.settledGain) revert MoreThanStaked(amount, stake_.settledGain);
        stake_.settledGain -= uint128(amount);
        stakeToken.send(to, amount);
        emit GainWithdrawn(id, to, amount);
    }

    function _settle(uint256 id) private returns (Stake storage stake_) {
        (, uint256 gain) = stakeOf(id);
        stake_ = _stakes[id];
        stake_.settledGain = uint128(gain);
        stake_.since = uint48(block.timestamp);
    }

    function _agent(uint256 id) private view returns (Agent storage) {
        if (id == 0 || id > _agents.length) revert NotAnAgent(id);
        return _agents[id - 1];
    }

    function _takeWallet(uint256 id, address wallet) private {
        if (wallet == address(0)) return;
        if (_idOfWallet[wallet] != 0) revert WalletTaken(wallet, _idOfWallet[wallet]);
        _idOfWallet[wallet] = id;
    }
}
