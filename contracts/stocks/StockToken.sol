// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "../tokens/ERC20.sol";
import {ERC20Permit} from "../tokens/ERC20Permit.sol";
import {StockRegistry} from "./StockRegistry.sol";

/// @title A tokenised stock: pausable, its holders checked against the registry, its shares by a multiplier.
/// @notice Balances never rebase. One token stands for `multiplier / 1e18` shares; a split or a reinvested dividend
/// changes the multiplier. The oracle prices one token, multiplier included.
contract StockToken is ERC20Permit {
    event Paused(address account);
    event Unpaused(address account);
    event MultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier);

    error OnlyOperator();
    error AlreadyInitialized();
    error EnforcedPause();
    error WalletBlocked(address wallet);

    address public operator;
    StockRegistry public registry;
    bool public paused;
    uint256 public multiplier;

    constructor() {
        // The implementation itself is nobody's token.
        operator = address(0xdead);
    }

    modifier onlyOperator() {
        if (msg.sender != operator) revert OnlyOperator();
        _;
    }

    function initialize(string calldata name_, string calldata symbol_, address registry_, address operator_) external {
        if (operator != address(0)) revert AlreadyInitialized();
        _name = name_;
        _symbol = symbol_;
        registry = StockRegistry(registry_);
        operator = operator_;
        multiplier = 1e18;
    }

    function mint(address to, uint256 value) external onlyOperator {
        _mint(to, value);
    }

    function setPaused(bool paused_) external onlyOperator {
        paused = paused_;
        if (paused_) emit Paused(msg.sender);
        else emit Unpaused(msg.sender);
    }

    function setMultiplier(uint256 multiplier_) external onlyOperator {
        emit MultiplierUpdated(multiplier, multiplier_);
        multiplier = multiplier_;
    }

    /// @notice The shares a wallet's tokens stand for.
    function sharesOf(address owner) external view returns (uint256) {
        return _balances[owner] * multiplier / 1e18;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (paused) revert EnforcedPause();
        if (registry.isBlocked(address(this), from)) revert WalletBlocked(from);
        if (registry.isBlocked(address(this), to)) revert WalletBlocked(to);
        super._move(from, to, value);
    }
}
